import envPaths from 'env-paths'

/** The folders of settings and caches on this operating system. */
export const folders = envPaths('hubctl', { suffix: '' })
