/**
 * The host in the names that signatures are about. No registry has it: a copy of an image keeps its name wherever it is put, and who pulls it maps
 * the address of their registry to it.
 */
const HOST = 'analysis-hub.invalid'

/** What an image is called in its signature: by the id of an analysis, or as `master/<virtualPath>`. */
export const identityOf = (name: string): string => `${HOST}/${name}:latest`

/** What the image of a master image is called there. */
export const masterImageName = (virtualPath: string): string => `master/${virtualPath}`

/** The same without a tag, as the subject of a statement. */
export const subjectName = (name: string): string => `${HOST}/${name}`
