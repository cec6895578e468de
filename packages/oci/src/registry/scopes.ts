/** Scopes of the Docker token service. */
export const pullScope = (repository: string): string => `repository:${repository}:pull`
export const pushScope = (repository: string): string => `repository:${repository}:pull,push`
/** Registries treat cancelling an upload as `delete` or as `push`. */
export const cancelScope = (repository: string): string =>
  `repository:${repository}:pull,push,delete`
export const deleteScope = (repository: string): string => `repository:${repository}:pull,delete`
