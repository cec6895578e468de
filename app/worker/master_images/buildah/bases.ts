const LARGEST_STAGES = 50

/**
 * The images of ours that a Dockerfile builds on or copies from: `master/<path>`, which is no place in any registry, but wherever this
 * platform keeps its images.
 */
export function ownBases(dockerfile: string): string[] {
  const bases = new Set<string>()
  for (const line of lines(dockerfile)) {
    const [, from] =
      /^FROM\s+(?:--\S+\s+)*(\S+)/i.exec(line) ?? /^COPY\s.*--from=(\S+)/i.exec(line) ?? []
    const [, path] = /^master\/([a-z\d][a-z\d._/-]*?)(?::latest)?$/.exec(from ?? '') ?? []
    if (path !== undefined && bases.size < LARGEST_STAGES) {
      bases.add(path)
    }
  }
  return [...bases]
}

/** Lines as they are meant: what ends with a backslash goes on in the next. */
function lines(dockerfile: string): string[] {
  return dockerfile
    .replaceAll(/\\\r?\n/g, ' ')
    .split('\n')
    .map((line) => line.trim())
}
