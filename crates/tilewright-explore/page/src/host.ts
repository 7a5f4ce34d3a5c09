// Who answers: this machine's host, by HTTP, or a WebAssembly module that lies beside the page.
//
// `<html data-host="wasm">` has the module asked. Nothing else in the page knows which of them it is.
// Addresses are relative, so that the page can lie below any path.

/** Why there is no answer, in words for whoever asked. */
export class NoAnswer extends Error {}

/** Why there is none to one of these questions, where the others could still be answered. */
export class Mistake extends NoAnswer {}

/** What is said where no host answers any more. */
const GONE = 'the host does not answer: is `tilewright explore` still running?';
const MISSING = 'ask.wasm, which answers, could not be loaded';
const MISTAKE = 'this question found a mistake in ask.wasm, which has been started again';

const isModule = document.documentElement.dataset['host'] === 'wasm';

/** The answer to a question, both as JSON. */
export const answer: (question: string) => Promise<string> = isModule ? byModule : byHttp;

/** Where a question goes, for whoever asks about a dump of their own. */
export const WHERE = isModule ? 'it stays in this page' : 'it goes to this machine’s own host alone';

async function byHttp(question: string): Promise<string> {
  try {
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch('ask', { method: 'POST', headers, body: question });
    return await response.text();
  } catch {
    throw new NoAnswer(GONE);
  }
}

/** What the module exports. */
interface Answerer {
  memory: WebAssembly.Memory;
  /** Makes room for a question of so many bytes, and says where. */
  question(length: number): number;
  /** Answers it, and says where the answer is. */
  ask(): number;
  /** How many bytes the answer has. */
  answer_len(): number;
}

let compiled: Promise<WebAssembly.Module> | undefined;
let running: Answerer | undefined;

async function byModule(question: string): Promise<string> {
  const answerer = (running ??= await started());
  try {
    return answeredBy(answerer, new TextEncoder().encode(question));
  } catch {
    // What a trap leaves behind in the memory is not to be asked again.
    running = undefined;
    throw new Mistake(MISTAKE);
  }
}

/** Making room and answering may let the memory grow: then its buffer is another one. */
function answeredBy(answerer: Answerer, question: Uint8Array): string {
  const at = answerer.question(question.length);
  new Uint8Array(answerer.memory.buffer, at, question.length).set(question);
  const start = answerer.ask();
  return new TextDecoder().decode(new Uint8Array(answerer.memory.buffer, start, answerer.answer_len()));
}

async function started(): Promise<Answerer> {
  try {
    compiled ??= WebAssembly.compileStreaming(fetch('ask.wasm'));
    return (await WebAssembly.instantiate(await compiled)).exports as unknown as Answerer;
  } catch {
    compiled = undefined;
    throw new NoAnswer(MISSING);
  }
}
