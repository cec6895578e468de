import { VERSION } from '#kernel/version'

const STARTED = new Date(Date.now() - performance.now()).toISOString()

/** What the node reports about itself: its version, when its process started, the time of its clock, and what no limit covers. */
export const nodeHeaders = (unbounded?: readonly string[]): Record<string, string> => ({
  'x-analysis-node-version': VERSION,
  'x-analysis-node-started': STARTED,
  'x-analysis-node-time': new Date().toISOString(),
  ...(unbounded && { 'x-analysis-node-unbounded': unbounded.join() || 'none' }),
})
