/**
 * The host in signed image names. It exists in no registry: copies keep their name, and clients map the address of
 * their registry to it.
 */
const HOST = 'analysis-hub.invalid'

/** The signed name of an image, from an analysis ID or `master/<virtualPath>`. */
export const identityOf = (name: string): string => `${HOST}/${name}:latest`

export const masterImageName = (virtualPath: string): string => `master/${virtualPath}`

/** The subject name of a statement, without a tag. */
export const subjectName = (name: string): string => `${HOST}/${name}`
