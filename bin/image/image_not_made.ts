/** Why there is no image, for the person who asked for one. */
export class ImageNotMade extends Error {
  static readonly code = 'E_IMAGE_NOT_MADE'
  readonly code = ImageNotMade.code

  static becauseOf(program: string, error: unknown): ImageNotMade {
    const { code, stderr, message } = error as { code?: unknown; stderr?: string; message: string }
    const reason =
      code === 'ENOENT' ? 'it is not installed' : stderr?.trim().split('\n').at(-1) || message
    return new ImageNotMade(`${program} failed: ${reason}`, { cause: error })
  }
}
