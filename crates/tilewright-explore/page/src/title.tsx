// What somebody calls what is shown: a heading that can be typed into.

import { useLayoutEffect, useRef, useState } from 'preact/hooks';

interface Props {
  title: string;
  /** Whether it is there to be typed into, though it is empty. */
  open: boolean;
  onType: (title: string) => void;
  onLeave: () => void;
}

export function Title({ title, open, onType, onLeave }: Props) {
  const field = useRef<HTMLInputElement>(null);
  const [focused, setFocused] = useState(false);
  // Before anything more can be typed.
  useLayoutEffect(() => {
    if (open) field.current?.focus();
  }, [open]);
  if (!open && !focused && title === '') return null;
  return (
    <h2 class="title">
      <input
        ref={field}
        aria-label="title"
        placeholder="a title"
        maxLength={200}
        value={title}
        onInput={(event) => onType(event.currentTarget.value)}
        onFocus={() => setFocused(true)}
        onBlur={() => {
          setFocused(false);
          onLeave();
        }}
        onKeyDown={(event) => (event.key === 'Enter' || event.key === 'Escape') && event.currentTarget.blur()}
      />
    </h2>
  );
}
