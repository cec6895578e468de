import type { Material } from '#oci/signing/provenance'
import type { NamedImage } from './buildah.js'

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

/** What buildah knows the image by that it builds. */
export const BUILT = 'localhost/analysis-hub/built'

/** Where images of ours are brought to it from, by which it calls them until they are named. */
export const BASES = 'bases'

const OURS = [BUILT, `localhost/${BASES}`].map((name) => `${name}:latest`)

/** The images that a build took from elsewhere, by the names that Dockerfiles call them by. */
export function basesAmong(images: readonly NamedImage[]): Material[] {
  const bases = new Map<string, string>()
  for (const { digest, name } of images) {
    if (!OURS.includes(name)) {
      bases.set(digest, name.replace(/^localhost\/|:<none>$/g, ''))
    }
  }
  return [...bases]
    .map(([digest, name]) => ({ name, digest }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
}
