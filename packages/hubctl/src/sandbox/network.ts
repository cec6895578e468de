import type { Hospital } from './data_sets.js'

export interface SandboxNode {
  readonly name: string
  readonly type: 'default' | 'aggregator'
  readonly realm: string
  /** The data of a hospital; an aggregator has none. */
  readonly hospital?: Hospital
}

export const PROJECT = 'sandbox'
export const ANALYST = 'analyst'
export const ANALYST_REALM = 'institute'
export const MASTER_IMAGE = 'python/base'

/** Two hospitals that differ, and an aggregator. */
export const NODES: readonly SandboxNode[] = [
  {
    name: 'north',
    type: 'default',
    realm: 'north',
    hospital: { name: 'north', seed: 7, patients: 120, meanAge: 63, measuresCreatinine: true },
  },
  {
    name: 'south',
    type: 'default',
    realm: 'south',
    hospital: { name: 'south', seed: 11, patients: 80, meanAge: 55, measuresCreatinine: false },
  },
  { name: 'center', type: 'aggregator', realm: ANALYST_REALM },
]

/** The user who decides for a hospital. */
export const stewardOf = ({ name }: SandboxNode): string => `${name}-steward`
