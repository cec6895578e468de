/** What an account has to be allowed to do, in the words of the token service. */
export const pullScope = (repository: string): string => `repository:${repository}:pull`
export const pushScope = (repository: string): string => `repository:${repository}:pull,push`
/** Taking an upload back is a removal for most, and for some a part of pushing. */
export const cancelScope = (repository: string): string =>
  `repository:${repository}:pull,push,delete`
export const deleteScope = (repository: string): string => `repository:${repository}:pull,delete`
