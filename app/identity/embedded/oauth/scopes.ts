/** What every token of the provider covers. */
const GLOBAL = 'global'

/** What a client can ask for on top of it: to be told who signed in. */
const ON_REQUEST = ['openid', 'profile', 'email']

export const SCOPES = [GLOBAL, ...ON_REQUEST]

/** The scope that is granted where this one is asked for. Unknown words are left out. */
export function grantedScope(requested: string | undefined): string {
  const words = new Set(requested?.split(' '))
  return [GLOBAL, ...ON_REQUEST.filter((word) => words.has(word))].join(' ')
}

export const covers = (scope: string, word: string): boolean => scope.split(' ').includes(word)
