/** What an account has to be allowed to do, in the words of the token service. */
export const pulling = (repository: string): string => `repository:${repository}:pull`
export const pushing = (repository: string): string => `repository:${repository}:pull,push`
/** Taking an upload back is a removal for most, and for some a part of pushing. */
export const cancelling = (repository: string): string =>
  `repository:${repository}:pull,push,delete`
export const removing = (repository: string): string => `repository:${repository}:pull,delete`
