import type { Output } from './output.js'

/** An answer that may say what its reader should know, although what was asked is done. */
export interface WithWarnings {
  readonly meta: {
    readonly warnings?: readonly { readonly code: string; readonly message: string }[]
  }
}

export function noteWarnings(output: Pick<Output, 'note'>, { meta }: WithWarnings): void {
  meta.warnings?.forEach(({ message }) => output.note(`Warning: ${message}`))
}
