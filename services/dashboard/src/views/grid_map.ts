// A grid map with the path that was walked and the shortest one, drawn to one unit a cell. Wheel or pinch zooms, dragging moves,
// double click shows all again.

import { svg } from '../dom';
import type { Cell, Recording } from '../types';

const kFree = '.GS'; // MovingAI's passable terrain
const kZoomStep = 1.2;
const kClosest = 8; // cells across

interface Box {
  x: number;
  y: number;
  size_x: number;
  size_y: number;
}

// Blocked cells as one path: a rectangle for each horizontal stretch.
export function blocked_path(rows: string[]): string {
  let out = '';
  rows.forEach((row, y) => {
    for (let x = 0; x < row.length; ) {
      if (kFree.includes(row[x]!)) {
        ++x;
        continue;
      }
      let end = x;
      while (end < row.length && !kFree.includes(row[end]!)) ++end;
      out += `M${x} ${y}h${end - x}v1h${x - end}z`;
      x = end;
    }
  });
  return out;
}

const centres = (cells: Cell[]) => cells.map(([x, y]) => `${x + 0.5},${y + 0.5}`).join(' ');

export class GridMap {
  readonly element = svg('svg', { class: 'map', role: 'img', 'aria-label': 'Map with the path walked and the shortest path', preserveAspectRatio: 'xMidYMid meet' });
  private box: Box = { x: 0, y: 0, size_x: 1, size_y: 1 };
  private whole: Box = this.box;
  private recording: Recording | null = null;
  private readonly pointers = new Map<number, PointerEvent>();

  constructor() {
    this.element.addEventListener('wheel', (event) => {
      event.preventDefault();
      this.zoom(event.deltaY > 0 ? kZoomStep : 1 / kZoomStep, event.clientX, event.clientY);
    });
    this.element.addEventListener('dblclick', () => this.fit());
    this.element.addEventListener('pointerdown', (event) => {
      this.pointers.set(event.pointerId, event);
      this.element.setPointerCapture(event.pointerId);
    });
    this.element.addEventListener('pointermove', (event) => this.drag(event));
    for (const end of ['pointerup', 'pointercancel'] as const) this.element.addEventListener(end, (event) => this.pointers.delete(event.pointerId));
  }

  show(recording: Recording): void {
    this.recording = recording;
    const { width, height, rows } = recording.map;
    const unit = Math.max(width, height) / 64;
    const [start_x, start_y] = recording.start;
    const [goal_x, goal_y] = recording.goal;
    this.element.style.setProperty('--unit', String(unit));
    this.element.replaceChildren(
      svg('rect', { class: 'ground', width, height }),
      svg('path', { class: 'blocked', d: blocked_path(rows) }),
      svg('polyline', { class: 'optimal', points: centres(recording.optimal) }),
      svg('polyline', { class: 'walked ahead', points: centres(recording.path) }),
      svg('polyline', { class: 'walked' }),
      svg('circle', { class: 'start', cx: start_x + 0.5, cy: start_y + 0.5, r: 0.95 * unit }),
      svg('circle', { class: 'robot', r: 0.8 * unit }),
      svg('path', { class: 'goal', d: star(goal_x + 0.5, goal_y + 0.5, 1.5 * unit) }),
    );
    this.whole = { x: -0.5, y: -0.5, size_x: width + 1, size_y: height + 1 };
    this.fit();
    this.show_step(recording.path.length - 1);
  }

  show_step(step: number): void {
    const walked = this.recording?.path.slice(0, step + 1) ?? [];
    this.element.querySelector('.walked:not(.ahead)')?.setAttribute('points', centres(walked));
    const robot = this.element.querySelector('.robot');
    const at = walked.at(-1);
    if (!robot || !at) return;
    robot.setAttribute('cx', String(at[0] + 0.5));
    robot.setAttribute('cy', String(at[1] + 0.5));
  }

  fit(): void {
    this.set_box(this.whole);
  }

  zoom_by(factor: number): void {
    const rectangle = this.element.getBoundingClientRect();
    this.zoom(factor, rectangle.left + rectangle.width / 2, rectangle.top + rectangle.height / 2);
  }

  private set_box(box: Box): void {
    this.box = box;
    this.element.setAttribute('viewBox', `${box.x} ${box.y} ${box.size_x} ${box.size_y}`);
  }

  // Map units for each pixel of the screen.
  private units(): number {
    const { width, height } = this.element.getBoundingClientRect();
    return Math.max(this.box.size_x / (width || 1), this.box.size_y / (height || 1));
  }

  private zoom(factor: number, client_x: number, client_y: number): void {
    const size_x = Math.min(this.whole.size_x * 1.5, Math.max(kClosest, this.box.size_x * factor));
    const ratio = size_x / this.box.size_x;
    const matrix = this.element.getScreenCTM();
    if (!matrix) return;
    const at = new DOMPoint(client_x, client_y).matrixTransform(matrix.inverse());
    this.set_box({ x: at.x - (at.x - this.box.x) * ratio, y: at.y - (at.y - this.box.y) * ratio, size_x, size_y: this.box.size_y * ratio });
  }

  private drag(event: PointerEvent): void {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const others = [...this.pointers.values()].filter((pointer) => pointer.pointerId !== event.pointerId);
    const other = others[0];
    if (other) {
      const distance = (a: PointerEvent, b: PointerEvent) => Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY) || 1;
      this.zoom(distance(before, other) / distance(event, other), (event.clientX + other.clientX) / 2, (event.clientY + other.clientY) / 2);
    } else {
      const units = this.units();
      this.set_box({ ...this.box, x: this.box.x - (event.clientX - before.clientX) * units, y: this.box.y - (event.clientY - before.clientY) * units });
    }
    this.pointers.set(event.pointerId, event);
  }
}

function star(x: number, y: number, radius: number): string {
  const corners = Array.from({ length: 10 }, (_, index) => {
    const angle = -Math.PI / 2 + (index * Math.PI) / 5;
    const reach = index % 2 === 0 ? radius : radius * 0.45;
    return `${(x + reach * Math.cos(angle)).toFixed(2)} ${(y + reach * Math.sin(angle)).toFixed(2)}`;
  });
  return `M${corners.join('L')}Z`;
}
