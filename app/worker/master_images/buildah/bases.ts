import type { Material } from '#oci/signing/provenance'
import type { NamedImage } from './buildah.js'

const LARGEST_STAGES = 50

/**
 * The master images that a Dockerfile uses in `FROM` or `COPY --from`. `master/<path>` stands for wherever the platform
 * stores them.
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

/** Joins lines that end with a backslash. */
function lines(dockerfile: string): string[] {
  return dockerfile
    .replaceAll(/\\\r?\n/g, ' ')
    .split('\n')
    .map((line) => line.trim())
}

/** The name of the built image within buildah. */
export const BUILT = 'localhost/analysis-hub/built'

/** The name buildah derives from the folder of loaded images, until they are tagged. */
export const BASES = 'bases'

const OURS = [BUILT, `localhost/${BASES}`].map((name) => `${name}:latest`)

/** The images that a build pulled from elsewhere, by the names in the Dockerfile. */
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
