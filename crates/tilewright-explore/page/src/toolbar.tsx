// How a layout is drawn.

import type { Drawn } from './ask';
import type { State, Unit } from './state';
import { UNITS } from './state';
import { Stepper } from './stepper';

/** What one can colour by; the host says where that does not apply. */
const COLORINGS = [
  ['tile', 'tile'],
  ['dim', 'dimension'],
  ['offset:8', 'offset mod 8'],
  ['line', 'line of 64 bytes'],
  ['bank', 'bank'],
  ['thread', 'thread'],
] as const;

export interface ToolbarProps {
  state: State;
  set: (change: Partial<State>, enter?: boolean) => void;
  drawn: Drawn | undefined;
  /** Whether that is the picture of what is asked for now. */
  ready: boolean;
}

export function Toolbar({ state, set, drawn, ready }: ToolbarProps) {
  const own = COLORINGS.some(([value]) => value === state.by);
  return (
    <div class="toolbar" role="group" aria-label="how it is drawn">
      <label>
        colour{' '}
        <select value={state.by} onChange={(event) => set({ by: event.currentTarget.value }, true)}>
          {COLORINGS.map(([value, name]) => <option key={value} value={value}>{name}</option>)}
          {!own && <option value={state.by}>{state.by}</option>}
        </select>
      </label>
      <label>
        count in{' '}
        <select value={state.unit} onChange={(event) => set({ unit: event.currentTarget.value as Unit }, true)}>
          {UNITS.map((unit) => <option key={unit} value={unit}>{unitName(unit)}</option>)}
        </select>
      </label>
      <Choice
        label="from"
        value={state.dir}
        values={['offsets', 'memory']}
        names={{ offsets: 'index to offset', memory: 'memory to index' }}
        onChoose={(dir) => set({ dir }, true)}
      />
      <label class="check">
        <input type="checkbox" checked={state.steps} onChange={(event) => set({ steps: event.currentTarget.checked, step: null }, true)} />{' '}
        step by step
      </label>
      {state.steps && <Steps steps={drawn?.steps} step={state.step} ready={ready} onStep={(step) => set({ step })} />}
    </div>
  );
}

/** Blocks have their size: `16-byte blocks`. */
function unitName(unit: Unit): string {
  const size = unit.split(':')[1];
  return size ? `${size}-byte blocks` : unit;
}

interface StepsProps {
  steps: string[] | null | undefined;
  step: number | null;
  ready: boolean;
  onStep: (step: number | null) => void;
}

/** The steps one at a time, where the picture can show them so. */
function Steps({ steps, step, ready, onStep }: StepsProps) {
  if (!steps || steps.length === 0) return null;
  const says = (step: number | null) => step === null ? `all ${steps.length} steps` : `${step + 1} of ${steps.length}: ${steps[step] ?? ''}`;
  return <Stepper label="step" value={step} count={steps.length} says={says} ready={ready} onChange={onStep} />;
}

function Choice<T extends string>(props: {
  label: string;
  value: T;
  values: T[];
  names: Record<T, string>;
  onChoose: (value: T) => void;
}) {
  return (
    <span class="choice" role="group" aria-label={props.label}>
      {props.values.map((value) => (
        <button type="button" key={value} aria-pressed={value === props.value} onClick={() => props.onChoose(value)}>
          {props.names[value]}
        </button>
      ))}
    </span>
  );
}
