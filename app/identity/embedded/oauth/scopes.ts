/** The scope of every token. */
const GLOBAL = 'global'

/** The scopes that a client can request in addition: claims about the user. */
const ON_REQUEST = ['openid', 'profile', 'email']

export const SCOPES = [GLOBAL, ...ON_REQUEST]

/** The granted scope for a requested one. Unknown scopes are ignored. */
export function grantedScope(requested: string | undefined): string {
  const words = new Set(requested?.split(' '))
  return [GLOBAL, ...ON_REQUEST.filter((word) => words.has(word))].join(' ')
}

export const covers = (scope: string, word: string): boolean => scope.split(' ').includes(word)
