// The board: shows pieces, and tells where somebody wants to go with them. It knows no rules.

const SVG = 'http://www.w3.org/2000/svg';

/** Pieces by square number from a FEN as the server writes it: {29: {white: true, king: true}}. */
export function piecesOf(fen) {
  const pieces = new Map();
  for (const part of fen.split(':').slice(1)) {
    if (part[0] !== 'W' && part[0] !== 'B') continue;
    for (const text of part.slice(1).split(',').filter(Boolean)) {
      const king = text[0] === 'K';
      pieces.set(Number(king ? text.slice(1) : text), { white: part[0] === 'W', king });
    }
  }
  return pieces;
}

/** The FEN of pieces and a side to move, 'W' or 'B'. */
export function fenOf(side, pieces) {
  const list = white => [...pieces].filter(([, piece]) => piece.white === white)
    .sort(([a], [b]) => a - b).map(([square, piece]) => (piece.king ? 'K' : '') + square).join(',');
  return `${side}:W${list(true)}:B${list(false)}`;
}

export class Board {
  /**
   * @param frame element that holds the server's SVG
   * @param templates element with one piece of each kind
   * @param listener {press(square), drop(from, to or null), key(square, key) => handled}
   */
  constructor(frame, templates, listener) {
    this.frame = frame;
    this.listener = listener;
    this.templates = new Map();
    for (const piece of templates.content.querySelectorAll('.piece')) {
      this.templates.set(piece.classList.contains('white') + '/' + piece.classList.contains('king'), piece);
    }
    this.pieces = new Map();
    frame.addEventListener('pointerdown', event => this.#down(event));
    frame.addEventListener('pointermove', event => this.#move(event));
    frame.addEventListener('pointerup', event => this.#up(event));
    frame.addEventListener('pointercancel', () => this.#cancel());
    frame.addEventListener('keydown', event => this.#key(event));
    this.#adopt();
  }

  /** Takes another board's picture, as the server draws it. */
  replace(svg) {
    const parsed = new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement;
    this.frame.replaceChildren(document.importNode(parsed, true));
    this.#adopt();
  }

  #adopt() {
    this.svg = this.frame.querySelector('svg');
    const data = this.svg.dataset;
    this.cell = Number(data.cell);
    this.edge = Number(data.edge);
    this.columns = Number(data.columns);
    this.rows = Number(data.rows);
    this.turned = data.turned === 'true';
    this.squares = new Map();
    for (const square of this.svg.querySelectorAll('.square')) {
      this.squares.set(Number(square.dataset.square), square);
      square.setAttribute('role', 'button');
      square.setAttribute('tabindex', '-1');
    }
    this.svg.querySelector('title')?.remove(); // it would cover every square as a tool tip
    this.svg.setAttribute('role', 'group');
    this.layer = document.createElementNS(SVG, 'g');
    this.svg.append(this.layer);
    this.focused = this.squares.get(1);
    this.focused.setAttribute('tabindex', '0');
  }

  /** Shows pieces; `label` says in words what is seen, `last` are the ends of the last move. */
  show(pieces, label, last = []) {
    this.pieces = pieces;
    this.svg.querySelectorAll('.piece').forEach(piece => piece.remove());
    this.mark();
    this.svg.setAttribute('aria-label', label);
    for (const [number, square] of this.squares) {
      square.classList.toggle('last', last.includes(number));
      const piece = pieces.get(number);
      const name = square.dataset.name;
      const kind = piece && `${piece.white ? 'white' : 'black'} ${piece.king ? 'king' : 'man'}`;
      square.setAttribute('aria-label', kind ? `${name}, ${kind}` : name);
      if (!piece) continue;
      const drawn = this.templates.get(piece.white + '/' + piece.king).cloneNode(true);
      drawn.dataset.square = number;
      const { x, y } = this.#middle(number);
      drawn.setAttribute('transform', `translate(${x} ${y})`);
      drawn.setAttribute('aria-hidden', 'true');
      this.svg.insertBefore(drawn, this.layer);
    }
  }

  /** Marks a chosen square and those it may go to. */
  mark(chosen = null, targets = []) {
    this.layer.replaceChildren();
    this.svg.querySelectorAll('.chosen').forEach(square => square.classList.remove('chosen'));
    if (chosen) this.squares.get(chosen)?.classList.add('chosen');
    for (const target of targets) {
      const { x, y } = this.#middle(target);
      this.#draw('circle', { class: 'target', cx: x, cy: y, r: this.cell / 5 });
    }
  }

  /** Draws a move: the squares it touches and the pieces it takes. */
  trace(path, captures) {
    this.mark();
    const points = path.map(square => this.#middle(square));
    this.#draw('polyline', { class: 'shown', points: points.map(({ x, y }) => `${x},${y}`).join(' ') });
    const end = points[points.length - 1];
    this.#draw('circle', { class: 'target', cx: end.x, cy: end.y, r: this.cell / 6 });
    for (const square of captures) {
      const { x, y } = this.#middle(square);
      this.#draw('circle', { class: 'taken', cx: x, cy: y, r: this.cell * 0.42 });
    }
  }

  #draw(name, attributes) {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    this.layer.append(element);
  }

  #middle(number) {
    const square = this.squares.get(number);
    return { x: Number(square.getAttribute('x')) + this.cell / 2, y: Number(square.getAttribute('y')) + this.cell / 2 };
  }

  /** The point of an event in the picture's own units. */
  #point(event) {
    const box = this.svg.getBoundingClientRect();
    const view = this.svg.viewBox.baseVal;
    return { x: (event.clientX - box.left) * view.width / box.width, y: (event.clientY - box.top) * view.height / box.height };
  }

  #squareAt({ x, y }) {
    for (const [number, square] of this.squares) {
      const left = Number(square.getAttribute('x')), top = Number(square.getAttribute('y'));
      if (x >= left && x < left + this.cell && y >= top && y < top + this.cell) return number;
    }
    return null;
  }

  #down(event) {
    if (event.button !== 0 || this.drag) return;
    const from = this.#squareAt(this.#point(event));
    if (!from) return;
    this.drag = { from, x: event.clientX, y: event.clientY, moved: false, piece: this.svg.querySelector(`.piece[data-square="${from}"]`) };
    if (this.drag.piece) this.frame.setPointerCapture(event.pointerId);
    event.preventDefault(); // no selection of text, no dragging of the picture
  }

  #move(event) {
    const drag = this.drag;
    if (!drag || !drag.piece) return;
    if (!drag.moved && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < 6) return;
    if (!drag.moved) {
      drag.moved = true;
      drag.piece.classList.add('dragged');
      this.listener.press(drag.from, true);
    }
    const { x, y } = this.#point(event);
    drag.piece.setAttribute('transform', `translate(${x} ${y})`);
  }

  #up(event) {
    const drag = this.drag;
    this.drag = null;
    if (!drag) return;
    const to = this.#squareAt(this.#point(event));
    if (!drag.moved) {
      this.focus(drag.from, false);
      this.listener.press(drag.from, false);
      return;
    }
    const { x, y } = this.#middle(drag.from);
    drag.piece.classList.remove('dragged');
    drag.piece.setAttribute('transform', `translate(${x} ${y})`);
    this.listener.drop(drag.from, to);
  }

  #cancel() {
    if (this.drag?.moved) {
      const { x, y } = this.#middle(this.drag.from);
      this.drag.piece.classList.remove('dragged');
      this.drag.piece.setAttribute('transform', `translate(${x} ${y})`);
    }
    this.drag = null;
  }

  /** Makes a square the one that the tab key reaches. */
  focus(number, really = true) {
    const square = this.squares.get(number);
    if (!square) return;
    this.focused.setAttribute('tabindex', '-1');
    this.focused = square;
    square.setAttribute('tabindex', '0');
    if (really) square.focus();
  }

  #key(event) {
    const number = Number(event.target.dataset?.square);
    if (!number || event.ctrlKey || event.metaKey || event.altKey) return;
    const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    const step = steps[event.key];
    if (step) {
      this.focus(this.#neighbour(number, ...step.map(n => this.turned ? -n : n)));
    } else if (event.key === 'Enter' || event.key === ' ') {
      this.listener.press(number, false);
    } else if (!this.listener.key(number, event.key)) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** The square reached by one step over the board; the same where there is none. */
  #neighbour(number, down, right) {
    const half = this.columns / 2;
    const row = Math.floor((number - 1) / half), place = (number - 1) % half;
    if (right) {
      const to = place + right;
      return to < 0 || to >= half ? number : number + right;
    }
    const to = row + down;
    return to < 0 || to >= this.rows ? number : number + down * half;
  }
}
