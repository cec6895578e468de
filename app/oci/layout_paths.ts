/** Where an OCI layout has a blob. */
export const blobPath = (digest: string): string => `blobs/${digest.replace(':', '/')}`
