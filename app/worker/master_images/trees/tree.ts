/** What is at one place of a tree of files. Paths are relative, with `/` between names, and checked. */
export type TreeEntry =
  | { readonly type: 'folder'; readonly path: string }
  | { readonly type: 'link'; readonly path: string; readonly target: string }
  | {
      readonly type: 'file'
      readonly path: string
      readonly size: number
      readonly isExecutable: boolean
      /** Can be read once, and before the next entry is asked for; what is not read is skipped. */
      readonly content: () => AsyncIterable<Uint8Array>
    }

/** Is told which state of a repository an archive says it holds, if it does. */
export type OnCommit = (commit: string) => void

/** The files of a source of images, read from its beginning to its end each time. */
export interface Tree {
  /** What people know it by; never with credentials. */
  readonly name: string
  entries(signal: AbortSignal, onCommit?: OnCommit): AsyncIterable<TreeEntry>
}
