// Pictures as files.

function save(blob: Blob, name: string) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser has taken what it needs once it comes back here.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** A name for the file that any system takes. */
function fileName(title: string, ending: string): string {
  const name = title.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, '').slice(0, 60);
  return `${name || 'layout'}.${ending}`;
}

const asBlob = (svg: string) => new Blob([svg], { type: 'image/svg+xml' });

export function saveSvg(svg: string, title: string) {
  save(asBlob(svg), fileName(title, 'svg'));
}

/** At twice the size, so that it is sharp; smaller where a canvas could not hold that. */
export async function savePng(svg: string, title: string) {
  const image = new Image();
  const url = URL.createObjectURL(asBlob(svg));
  try {
    image.src = url;
    await image.decode();
    const scale = Math.min(2, 8192 / image.naturalWidth, 8192 / image.naturalHeight);
    const canvas = document.createElement('canvas');
    canvas.width = Math.round(image.naturalWidth * scale);
    canvas.height = Math.round(image.naturalHeight * scale);
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/png'));
    if (blob) save(blob, fileName(title, 'png'));
  } finally {
    URL.revokeObjectURL(url);
  }
}
