// The explorer: what is asked, what is shown. Values and words come from the server.

import { Board, fenOf, piecesOf } from '/assets/board.js';
import { setUpCourt } from '/assets/court.js';

const $ = id => document.getElementById(id);
const data = JSON.parse($('data').textContent);
document.documentElement.classList.add('js');

/** The first position and its rules, all moves of the line, and how many of them are played. */
let state = fromAddress();
/** The answer that is shown. */
let answer = data.answer;
/** Pieces while a position is set up that the server may not accept. */
let edited = null;
let chosen = null;
let asking = 0;
/** Whether an answer is on its way: until it is there, the moves shown are those of another position. */
let waiting = false;

const editing = () => $('setup').open;
const pieces = () => edited ?? (answer ? piecesOf(answer.fen) : new Map());
const sideToMove = () => (edited && state.side) || (answer?.side === 'black' ? 'B' : 'W');

const board = new Board($('board'), $('pieces'), {
  press(square, dragged) {
    if (editing()) return dragged || put(square);
    const from = movesFrom(square);
    if (!dragged && chosen && movesFrom(chosen).some(move => end(move) === square)) return go(chosen, square);
    chosen = from.length ? square : null;
    board.mark(chosen, from.map(end));
  },
  drop(from, to) {
    if (editing()) return carry(from, to);
    if (to && to !== from) go(from, to);
  },
  key(square, key) {
    if (key === 'Escape') { chosen = null; board.mark(); return true; }
    if (!editing()) return false;
    const kinds = { w: 'wm', W: 'wk', b: 'bm', B: 'bk', Delete: 'none', Backspace: 'none' };
    if (!(key in kinds)) return false;
    put(square, kinds[key]);
    return true;
  },
});

// What is asked, and the address that says it.

function fromAddress() {
  const query = new URLSearchParams(location.search);
  const known = data.variants.some(variant => variant.name === query.get('variant'));
  const moves = (query.get('history') ?? '').split(/[\s,]+/).filter(Boolean);
  return {
    variant: known ? query.get('variant') : 'international',
    fen: query.get('fen') ?? '',
    profile: query.get('profile') ?? '',
    counters: query.get('counters') ?? '',
    turned: ['1', 'true'].includes(query.get('turned')),
    moves,
    ply: moves.length,
  };
}

function question(history) {
  const query = new URLSearchParams();
  const fields = { fen: state.fen, profile: state.profile, counters: state.counters, history };
  for (const [name, value] of Object.entries(fields)) if (value) query.set(name, value);
  return query;
}

/** The address of the position after some moves. */
function address(moves) {
  const query = question(moves.join(','));
  if (state.turned) query.set('turned', '1');
  const rest = query.toString().replaceAll('%3A', ':').replaceAll('%2C', ',');
  return `/?variant=${state.variant}` + (rest && '&' + rest);
}

const played = () => state.moves.slice(0, state.ply);

/** Asks the server for the position of `state` and shows it. `how`: 'push', 'replace' or 'none'. */
async function ask(how = 'replace') {
  if (how !== 'none') history[how + 'State'](null, '', address(played()));
  const turn = ++asking;
  waiting = true;
  let found, error = '';
  try {
    const response = await fetch(`/${state.variant}?${question(played().join(','))}`);
    found = await response.json();
    if (!('moves' in found)) error = found.error ?? 'the server gave no answer';
  } catch {
    error = 'the server cannot be reached';
  }
  if (turn !== asking) return; // another question came after this one
  waiting = false;
  $('message').textContent = error;
  if (error) {
    render(edited ? null : answer, true);
  } else {
    edited = null;
    answer = found;
    render(answer);
  }
}

// What is shown.

const HEADINGS = [
  ['win', 'Wins'],
  ['maybe-win', 'Wins in theory; in time for the draw rules?'],
  ['cursed-win', 'Wins in theory, but the draw rules come first'],
  ['draw', 'Draws'],
  ['unknown', 'Not known'],
  ['blessed-loss', 'Loses in theory, but the draw rules save it'],
  ['maybe-loss', 'Loses in theory; do the draw rules save it?'],
  ['loss', 'Loses'],
];

/** Where a move belongs: its category, or what it is in theory where the rules are not known. */
function groupOf(move) {
  if (move.category !== 'unknown' || move.wld === null || move.wld === 'draw') return move.category;
  return `maybe-${move.wld}`;
}

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function render(shown, stale = false) {
  chosen = null;
  const last = state.ply && lastEnds;
  board.show(pieces(), shown ? shown.text.join(' ') : 'A position that is being set up', last || []);
  renderLine();
  for (const side of document.querySelectorAll('input[name=side]')) side.checked = side.value === sideToMove();
  if (!shown || stale) {
    $('value').className = 'value unknown';
    $('value').replaceChildren();
    $('hint').hidden = true;
    $('counters').replaceChildren();
    $('moves').replaceChildren();
    return;
  }
  document.title = `${shown.text[0]} - Damabase`;
  $('value').className = `value ${shown.category}`;
  $('value').replaceChildren(...shown.text.map((text, place) => element('p', {}, element(place ? 'span' : 'strong', {}, text))));
  $('hint').hidden = !shown.error;
  for (const link of document.querySelectorAll('.to-stats')) link.href = `/stats?variant=${state.variant}`;
  $('counters').replaceChildren(...renderCounters(shown.counters));
  $('moves').replaceChildren(...HEADINGS.flatMap(([category, heading]) => renderMoves(category, heading, shown.moves)));
  if (document.activeElement !== $('fen')) $('fen').value = state.fen || (state.ply ? '' : shown.fen);
  $('counters-field').value = state.counters;
  $('variant').value = state.variant;
  fillProfiles(shown.profile);
}

function renderCounters(counters) {
  if (!counters.length) return [];
  const rows = counters.map(counter => {
    const value = element('td', {}, `${counter.value} of ${counter.limit ?? '-'}`);
    if (counter.limit) value.prepend(element('meter', { min: 0, max: counter.limit, value: counter.value }), ' ');
    return element('tr', {}, element('th', { scope: 'row' }, counter.name), value,
      element('td', {}, counter.left === null ? '' : `${counter.left} left`), element('td', {}, `article ${counter.article}`));
  });
  return [element('table', { class: 'counters' }, element('caption', {}, 'Draw counters'), ...rows)];
}

function renderMoves(category, heading, moves) {
  const group = moves.filter(move => groupOf(move) === category);
  if (!group.length) return [];
  const head = [['move'], ['theory'], ['end', 'plies to the end of the game'], ['capture or man', 'plies to the next capture or man move']];
  if (group.some(move => move.spare !== null)) head.push(['to spare', 'plies that are left over']);
  const cell = plies => element('td', {}, plies === null ? '-' : String(plies));
  const rows = group.map(move => {
    const link = element('a', { href: address([...played(), move.move]), 'data-move': move.move }, move.move);
    const row = element('tr', {}, element('td', {}, link), element('td', {}, move.wld ?? '-'), cell(move.dtw), cell(move.dtc));
    if (head.length > 4) row.append(cell(move.spare));
    row.addEventListener('mouseenter', () => board.trace(move.path, move.captures));
    row.addEventListener('mouseleave', () => board.mark(chosen, chosen ? movesFrom(chosen).map(end) : []));
    link.addEventListener('focus', () => board.trace(move.path, move.captures));
    link.addEventListener('blur', () => board.mark());
    link.addEventListener('click', event => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return; // a new tab or window
      event.preventDefault();
      playAgainst(move);
    });
    return row;
  });
  const titles = head.map(([text, title]) => element('th', title ? { scope: 'col', title } : { scope: 'col' }, text));
  return [element('table', { class: `moves ${category}` }, element('caption', {}, heading),
    element('thead', {}, element('tr', {}, ...titles)), element('tbody', {}, ...rows))];
}

function renderLine() {
  const buttons = state.moves.map((move, place) => {
    const button = element('button', { type: 'button' }, move);
    if (place + 1 === state.ply) button.setAttribute('aria-current', 'true');
    button.addEventListener('click', () => toPly(place + 1));
    return button;
  });
  $('line').replaceChildren(...buttons);
  $('first').disabled = $('back').disabled = state.ply === 0;
  $('forward').disabled = $('last').disabled = state.ply === state.moves.length;
}

function fillProfiles(used) {
  const variant = data.variants.find(variant => variant.name === state.variant);
  $('profile').replaceChildren(...variant.profiles.map(name => element('option', {}, name)));
  $('profile').value = used;
}

// Moves.

/** The squares between which the last move went, where they are known. */
let lastEnds = [];

const end = move => move.path[move.path.length - 1];

function movesFrom(square) {
  return edited || waiting || !answer ? [] : answer.moves.filter(move => move.path[0] === square);
}

/** Plays the move from one square to another, or asks which, where there are several. */
function go(from, to) {
  const fitting = movesFrom(from).filter(move => end(move) === to);
  chosen = null;
  board.mark();
  if (fitting.length === 1) return playAgainst(fitting[0]);
  if (!fitting.length) return;
  $('message').textContent = 'There is more than one way: choose it from the list.';
  for (const link of $('moves').querySelectorAll('a')) {
    link.closest('tr').classList.toggle('chosen', fitting.some(move => move.move === link.dataset.move));
  }
  $('moves').querySelector('.chosen a')?.focus();
}

async function play(move) {
  if (waiting) return;
  const goOn = state.moves[state.ply] === move.move;
  if (!goOn) state.moves = [...played(), move.move];
  state.ply += 1;
  lastEnds = [move.path[0], end(move)];
  await ask('push');
}

/** A move of somebody who plays against the table: where that is wished, it answers with its best. */
async function playAgainst(move) {
  const before = state.ply;
  await play(move);
  const drawn = answer?.claim?.plies_left === 0 && answer.claim.kind === 'automatic';
  if ($('answers').checked && state.ply === before + 1 && !waiting && !drawn && !edited) best();
}

function toPly(ply) {
  if (ply < 0 || ply > state.moves.length || ply === state.ply) return;
  state.ply = ply;
  lastEnds = [];
  ask('push');
}

// Setting up.

const KINDS = { wm: [true, false], wk: [true, true], bm: [false, false], bk: [false, true] };

/** Puts a piece on a square, or takes it away where the same piece stands there. */
function put(square, kind = document.querySelector('input[name=piece]:checked').value) {
  if (kind === 'move') return;
  const next = new Map(pieces());
  const there = next.get(square);
  next.delete(square);
  if (kind !== 'none') {
    const [white, king] = KINDS[kind];
    if (!there || there.white !== white || there.king !== king) next.set(square, { white, king });
  }
  edit(next);
}

function carry(from, to) {
  const next = new Map(pieces());
  const piece = next.get(from);
  next.delete(from);
  if (to && piece) next.set(to, piece);
  edit(next);
}

function edit(next, side = sideToMove()) {
  edited = next;
  Object.assign(state, { fen: fenOf(side, next), side, moves: [], ply: 0, counters: '' });
  lastEnds = [];
  render(null);
  $('fen').value = state.fen;
  ask('replace');
}

// The variant, and the board it is played on.

async function setBoard() {
  const query = state.turned ? '?turned=1' : '';
  const response = await fetch(`/${state.variant}/board.svg${query}`);
  if (response.ok) board.replace(await response.text());
}

/** Goes to a position of a game: the adjudication shows plies by this. */
export async function visit(next) {
  const other = next.variant !== state.variant;
  Object.assign(state, next);
  edited = null;
  lastEnds = [];
  if (other) await setBoard();
  return ask('replace');
}

// Controls.

$('first').addEventListener('click', () => toPly(0));
$('back').addEventListener('click', () => toPly(state.ply - 1));
$('forward').addEventListener('click', () => toPly(state.ply + 1));
$('last').addEventListener('click', () => toPly(state.moves.length));
$('best').addEventListener('click', best);
$('turn').addEventListener('click', async event => {
  event.preventDefault();
  state.turned = !state.turned;
  await setBoard();
  history.replaceState(null, '', address(played()));
  render(edited ? null : answer);
});
$('share').addEventListener('click', async () => {
  const link = location.href;
  try {
    await navigator.clipboard.writeText(link);
    $('message').textContent = 'The link is copied.';
  } catch {
    $('message').textContent = link;
  }
});
$('clear').addEventListener('click', () => edit(new Map()));
$('start').addEventListener('click', () => {
  Object.assign(state, { fen: '', moves: [], ply: 0, counters: '' });
  edited = null;
  ask('replace');
});
for (const radio of document.querySelectorAll('input[name=side]')) {
  radio.addEventListener('change', () => edit(new Map(pieces()), radio.value));
}
$('setup').addEventListener('toggle', () => {
  $('board').classList.toggle('editing', editing());
  chosen = null;
  board.mark();
});
$('position').addEventListener('submit', event => {
  event.preventDefault();
  lookUp({ fen: $('fen').value.trim(), counters: $('counters-field').value.trim() });
});
$('variant').addEventListener('change', () => lookUp({ fen: '', counters: '', profile: '' }));
$('profile').addEventListener('change', () => {
  state.profile = $('profile').value;
  ask('replace');
});

async function lookUp(fields) {
  const other = $('variant').value !== state.variant;
  Object.assign(state, fields, { variant: $('variant').value, moves: [], ply: 0 });
  if (other) state.profile = '';
  edited = null;
  lastEnds = [];
  if (other) {
    answer = null;
    await setBoard();
    fillProfiles('');
  }
  await ask('push');
}

function best() {
  if (answer?.moves.length && !edited) play(answer.moves[0]);
}

document.addEventListener('keydown', event => {
  const field = event.target.closest('input, textarea, select, [contenteditable]');
  if (field || event.ctrlKey || event.metaKey || event.altKey) return;
  const actions = {
    ArrowLeft: () => toPly(state.ply - 1),
    ArrowRight: () => toPly(state.ply + 1),
    Home: () => toPly(0),
    End: () => toPly(state.moves.length),
    b: best,
    f: () => $('turn').click(),
  };
  const action = actions[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

addEventListener('popstate', async () => {
  const before = state;
  const next = fromAddress();
  const same = ['variant', 'fen', 'profile', 'counters'].every(field => next[field] === before[field]);
  // Going back within a line keeps what comes after.
  if (same && next.moves.every((move, place) => move === before.moves[place])) next.moves = before.moves;
  state = next;
  edited = null;
  lastEnds = [];
  if (next.variant !== before.variant || next.turned !== before.turned) await setBoard();
  ask('none');
});

setUpCourt({ visit, chosen: () => ({ variant: state.variant, profile: state.profile }) });
if (answer) render(answer);
else renderLine();
