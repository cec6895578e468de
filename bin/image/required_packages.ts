/** What package-lock.json says of a package, or of this repository. */
export interface LockEntry {
  readonly version: string
  readonly license?: string
  readonly integrity: string
  readonly link?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

type Lock = Readonly<Record<string, LockEntry>>

const MODULES = 'node_modules/'

/**
 * The paths of installed packages that production requires. npm also installs what others can use and development
 * has, such as a compiler, and this leaves out.
 */
export function requiredPackages(wanted: Lock, installed: Lock): Set<string> {
  const own = Object.keys(wanted).filter((path) => !path.includes(MODULES))
  const required = new Set<string>()
  const queue = own.map((path) => ({ path, entry: wanted[path]! }))
  for (let next = queue.pop(); next; next = queue.pop()) {
    for (const name of namesIn(next.entry)) {
      const path = resolvePackage(next.path, name, installed)
      if (path !== undefined && !required.has(path)) {
        required.add(path)
        queue.push({ path, entry: installed[path]! })
      }
    }
  }
  return required
}

function namesIn(entry: LockEntry): string[] {
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = entry
  const peers = Object.keys(peerDependencies ?? {})
  return [
    ...Object.keys(dependencies ?? {}),
    ...Object.keys(optionalDependencies ?? {}),
    ...peers.filter((name) => !peerDependenciesMeta?.[name]?.optional),
  ]
}

/** Finds a package as Node.js does: in the folder of the one that requires it, then in those around it. */
function resolvePackage(from: string, name: string, installed: Lock): string | undefined {
  for (
    let folder = from;
    ;
    folder = folder.slice(0, Math.max(0, folder.lastIndexOf(MODULES) - 1))
  ) {
    const path = folder === '' ? `${MODULES}${name}` : `${folder}/${MODULES}${name}`
    if (installed[path] || folder === '') {
      return installed[path] && path
    }
  }
}
