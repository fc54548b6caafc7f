// A pasted game and its judgement, with the counters drawn ply by ply.

const SVG = 'http://www.w3.org/2000/svg';
const LEFT = 56, RIGHT = 10, ROW = 56, BAND = 16;

function draw(parent, name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  parent.append(made);
  return made;
}

function tag(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/**
 * @param explorer {visit(state), chosen() => {variant, profile}}
 */
export function setUpCourt(explorer) {
  const form = document.getElementById('court-form');
  const place = document.getElementById('judged');
  form.addEventListener('submit', async event => {
    event.preventDefault();
    const text = document.getElementById('pdn').value;
    const { variant, profile } = explorer.chosen();
    const query = new URLSearchParams();
    // The text's own word on the game counts more than the page's.
    if (!/\[\s*GameType/i.test(text)) query.set('variant', variant);
    if (profile) query.set('profile', profile);
    let report;
    try {
      const response = await fetch(`/adjudicate?${query}`, { method: 'POST', body: text, headers: { 'content-type': 'text/plain' } });
      report = await response.json();
    } catch {
      report = { error: 'the server cannot be reached' };
    }
    const games = report.games ?? [{ error: report.error }];
    place.replaceChildren(...games.map(game => showGame(game, explorer)));
  });
}

function showGame(game, explorer) {
  if (game.error) return tag('p', { class: 'message' }, game.error);
  const plies = [game.start, ...game.plies];
  const moves = game.plies.map(ply => ply.move);
  const counters = Object.entries(game.start.counters).filter(([, value]) => value).map(([name, value]) => `${name}=${value}`).join(',');
  const svg = timeline(game, plies);
  const slider = tag('input', { type: 'range', min: 0, max: game.plies.length, value: 0, 'aria-label': 'Ply' });
  const words = tag('p', { class: 'ply' });
  let waiting = null;
  const show = (ply, visit = true) => {
    slider.value = ply;
    svg.now(ply);
    words.textContent = plyWords(plies[ply]);
    slider.setAttribute('aria-valuetext', words.textContent);
    if (!visit) return;
    clearTimeout(waiting); // a slider that is dragged asks for its last ply only
    waiting = setTimeout(() => explorer.visit({
      variant: game.variant, fen: game.fen, profile: game.profile, counters, moves, ply,
    }), 120);
  };
  slider.addEventListener('input', () => show(Number(slider.value)));
  svg.element.addEventListener('click', event => show(svg.plyAt(event)));
  show(0, false);
  const legend = tag('p', { class: 'hint legend' });
  for (const [name, text] of [['win', 'White wins'], ['draw', 'draw'], ['loss', 'Black wins'], ['none', 'not known']]) {
    legend.append(tag('span', { class: `key ${name}` }), ` ${text} `);
  }
  return tag('div', { class: 'game' }, tag('pre', {}, game.text), svg.element, legend, slider, words);
}

function plyWords(ply) {
  const parts = [ply.move ? `Ply ${ply.ply}: ${ply.move}` : 'Ply 0: the first position'];
  for (const [name, value] of Object.entries(ply.counters)) {
    const limit = ply.limits[name];
    parts.push(limit === undefined ? `${name} ${value}` : `${name} ${value} of ${limit}`);
  }
  if (ply.plies_left !== null) parts.push(`${ply.plies_left} left to the nearest draw by a counter`);
  if (ply.budget !== null) parts.push(`${ply.budget} needed for the result to count`);
  if (ply.due.length) parts.push(`draw by ${ply.due.join(', ')}`);
  if (ply.spare !== null && ply.budget === null) parts.push(`${ply.spare} to spare`);
  if (ply.value) parts.push(`${ply.value} for the side to move`);
  if (ply.value_in_theory && ply.value_in_theory !== ply.value) parts.push(`${ply.value_in_theory} in theory for the side to move`);
  return parts.join('; ') + '.';
}

/** A row for each counter, bands for the value by the draw rules and in theory, lines where draws are due. */
function timeline(game, plies) {
  // As wide as the page gives, so that texts are of the size of others.
  const width = Math.min(1000, Math.max(280, document.getElementById('judged').clientWidth || 720));
  const names = [...new Set(plies.flatMap(ply => Object.keys(ply.counters)))];
  const last = Math.max(1, plies.length - 1);
  const x = ply => LEFT + ply * (width - LEFT - RIGHT) / last;
  const bands = [['value', 'rules'], ['value_in_theory', 'theory']];
  const end = names.length * ROW + 14 + bands.length * (BAND + 4);
  const height = end + 28;
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('class', 'timeline');
  svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', `Draw counters over ${plies.length - 1} plies: ${names.join(', ') || 'none'}. The slider below tells each ply in words.`);
  names.forEach((name, row) => {
    const bottom = (row + 1) * ROW, top = bottom - ROW + 14;
    const highest = Math.max(1, ...plies.map(ply => Math.max(ply.counters[name] ?? 0, ply.limits[name] ?? 0)));
    const y = value => bottom - (bottom - top) * value / highest;
    draw(svg, 'line', { class: 'base', x1: LEFT, x2: width - RIGHT, y1: bottom, y2: bottom });
    draw(svg, 'text', { x: 0, y: bottom - 8 }, name);
    draw(svg, 'text', { class: 'faint', x: LEFT - 6, y: top + 4, 'text-anchor': 'end' }, highest);
    let run = [];
    const flush = () => {
      if (run.length) {
        const points = run.map(([ply, value]) => `${x(ply)},${y(value)}`).join(' ');
        draw(svg, 'polygon', { class: 'area', points: `${x(run[0][0])},${bottom} ${points} ${x(run[run.length - 1][0])},${bottom}` });
        draw(svg, 'polyline', { class: 'count', points });
        if (run.length === 1) draw(svg, 'circle', { class: 'count', cx: x(run[0][0]), cy: y(run[0][1]), r: 2 });
      }
      run = [];
    };
    plies.forEach((ply, number) => {
      const value = ply.counters[name];
      if (value === undefined) flush();
      else run.push([number, value]);
      const limit = ply.limits[name];
      if (limit !== undefined && plies[number + 1]?.limits[name] === limit) {
        draw(svg, 'line', { class: 'limit', x1: x(number), x2: x(number + 1), y1: y(limit), y2: y(limit) });
      }
    });
    flush();
  });
  bands.forEach(([field, label], row) => {
    const band = names.length * ROW + 14 + row * (BAND + 4);
    draw(svg, 'text', { x: 0, y: band + 12 }, label);
    plies.forEach((ply, number) => {
      // Seen by White, so that the band does not change with every ply.
      const black = ply.fen.startsWith('B');
      const turned = { win: 'loss', loss: 'win', draw: 'draw' };
      const value = ply[field] === null ? 'none' : black ? turned[ply[field]] : ply[field];
      const from = number === 0 ? x(0) : (x(number - 1) + x(number)) / 2;
      const to = number === last ? x(last) : (x(number) + x(number + 1)) / 2;
      const cell = draw(svg, 'rect', { class: value, x: from, y: band, width: Math.max(1, to - from), height: BAND });
      const where = field === 'value' ? 'by the draw rules' : 'in theory';
      draw(cell, 'title', {}, `ply ${number}: ${value === 'none' ? 'not known' : `${value} for White`} ${where}`);
    });
  });
  if (game.first_draw) {
    const at = x(game.first_draw.ply);
    draw(svg, 'line', { class: 'due', x1: at, x2: at, y1: 0, y2: end });
    draw(svg, 'text', { x: Math.max(LEFT, at - 4), y: 11, 'text-anchor': at > width / 2 ? 'end' : 'start' }, `drawn: ${game.first_draw.counters.join(', ')}`);
  }
  for (const ply of game.claimable) draw(svg, 'line', { class: 'claimable', x1: x(ply), x2: x(ply), y1: names.length * ROW + 8, y2: names.length * ROW + 14 });
  const step = Math.max(1, Math.ceil(last * 45 / width));
  for (let ply = 0; ply <= last; ply += step) {
    draw(svg, 'text', { class: 'faint', x: x(ply), y: end + 11, 'text-anchor': 'middle' }, ply);
  }
  const now = draw(svg, 'line', { class: 'now', x1: x(0), x2: x(0), y1: 0, y2: end });
  return {
    element: svg,
    now(ply) {
      now.setAttribute('x1', x(ply));
      now.setAttribute('x2', x(ply));
    },
    plyAt(event) {
      const box = svg.getBoundingClientRect();
      const at = (event.clientX - box.left) * width / box.width;
      const ply = Math.round((at - LEFT) * last / (width - LEFT - RIGHT));
      return Math.min(plies.length - 1, Math.max(0, ply));
    },
  };
}
