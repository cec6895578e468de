import type { RemoteSurface } from '#auth/remote_surface'

/** A provider that hands out one token after the other, each until it is asked about it. */
export function handingOut(...tokens: string[]): RemoteSurface['provider'] {
  return {
    ownToken: async () => tokens[0]!,
    introspect: async (token) => void (token === tokens[0] && tokens.shift()),
  }
}
