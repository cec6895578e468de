/** What Node.js says of a command or a call that failed. */
type FailedCommand = NodeJS.ErrnoException & { readonly stderr?: string }

/** Why there is no image, for the person who requested one. */
export class ImageNotMade extends Error {
  static readonly code = 'E_IMAGE_NOT_MADE'
  readonly code = ImageNotMade.code

  static becauseOf(program: string, error: unknown): ImageNotMade {
    const { code, syscall, stderr, message } = error as FailedCommand
    const isMissing = code === 'ENOENT' && syscall?.startsWith('spawn')
    const reason = isMissing ? 'it is not installed' : stderr?.trim().split('\n').at(-1) || message
    return new ImageNotMade(`${program} failed: ${reason}`, { cause: error })
  }
}
