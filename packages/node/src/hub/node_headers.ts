import { VERSION } from '#kernel/version'

const STARTED = new Date(Date.now() - performance.now()).toISOString()

/**
 * Headers with the report of a node: its version, the start of its process, its clock, and resources without a limit.
 */
export const nodeHeaders = (unbounded?: readonly string[]): Record<string, string> => ({
  'x-analysis-node-version': VERSION,
  'x-analysis-node-started': STARTED,
  'x-analysis-node-time': new Date().toISOString(),
  ...(unbounded && { 'x-analysis-node-unbounded': unbounded.join() || 'none' }),
})
