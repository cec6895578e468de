/** One kind of processor has three names. */
export interface Architecture {
  /** The name in Debian and OCI. */
  readonly debian: 'amd64' | 'arm64'
  /** The name in Node.js and npm. */
  readonly node: 'x64' | 'arm64'
  readonly variant?: string
}

export const ARCHITECTURES: readonly Architecture[] = [
  { debian: 'amd64', node: 'x64' },
  { debian: 'arm64', node: 'arm64', variant: 'v8' },
]
