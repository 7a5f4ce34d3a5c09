// What several views need of the browser.

import { useEffect, useRef, useState } from 'preact/hooks';
import { type Question, type Reply, ask } from './ask';
import { write } from './json';

/** Replies, and the questions that they are to. */
export interface Answered {
  replies: Reply<never>[];
  /** Whether these are the replies to what is asked now. */
  current: boolean;
  /** How many times there have been replies. */
  turn: number;
}

/**
 * The replies to some questions, asked again whenever they change. While one set of questions is out,
 * the next one waits, and only the newest of those that wait is asked: a host that is slow is not
 * flooded, and replies never come in the wrong order.
 */
export function useAnswers(questions: Question[]): Answered {
  const key = write(questions);
  const [answered, setAnswered] = useState<{ key: string; replies: Reply<never>[]; turn: number }>({
    key: '',
    replies: [],
    turn: 0,
  });
  const wanted = useRef({ key, questions });
  const busy = useRef(false);
  const alive = useRef(true);
  wanted.current = { key, questions };
  useEffect(() => {
    alive.current = true;
    return () => {
      alive.current = false;
    };
  }, []);
  useEffect(() => {
    if (busy.current || answered.key === key) return;
    busy.current = true;
    void (async () => {
      for (;;) {
        const asked = wanted.current;
        const replies = asked.questions.length === 0 ? [] : await ask(asked.questions);
        if (!alive.current) return;
        setAnswered((before) => ({ key: asked.key, replies, turn: before.turn + 1 }));
        if (wanted.current.key === asked.key) break;
      }
      busy.current = false;
    })();
  }, [key]);
  return { replies: answered.replies, current: answered.key === key, turn: answered.turn };
}

/** What a reply was when it last had an answer: what stays, greyed, while a text is wrong. */
export function useLastGood<T>(answer: T | undefined): T | undefined {
  const last = useRef<T | undefined>(undefined);
  if (answer !== undefined) last.current = answer;
  return last.current;
}

export function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const listen = () => setMatches(list.matches);
    list.addEventListener('change', listen);
    return () => list.removeEventListener('change', listen);
  }, [query]);
  return matches;
}

export function useTheme(): 'light' | 'dark' {
  return useMedia('(prefers-color-scheme: dark)') ? 'dark' : 'light';
}

/** A text once it has rested: a voice that reads along is not to stumble over every key. */
export function useRested(text: string, rest = 300): string {
  const [rested, setRested] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), rest);
    return () => clearTimeout(timer);
  }, [text]);
  return rested;
}
