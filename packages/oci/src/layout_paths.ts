/** The path of a blob within an OCI layout. */
export const blobPath = (digest: string): string => `blobs/${digest.replace(':', '/')}`
