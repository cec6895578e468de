import envPaths from 'env-paths'

/** Where this operating system keeps the settings and the caches of a program. */
export const folders = envPaths('hubctl', { suffix: '' })
