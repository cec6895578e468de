import type { QueryValues } from '#client/transport'
import { allOf, nameFilter } from '#console/lists'

/** The filter of analyses whose build or run failed; core has no filter for distributions. */
export const FAILED = "or(eq(buildStatus,'failed'),eq(executionStatus,'failed'))"

/** The choices of the list with their filters of core. */
const FILTERS = {
  all: undefined,
  configuration: "eq(configurationLocked,'false')",
  build: "and(eq(configurationLocked,'true'),not(eq(buildStatus,'executed')))",
  built: "and(eq(buildStatus,'executed'),not(eq(executionStatus,'executed')))",
  finished: "eq(executionStatus,'executed')",
  failed: FAILED,
} as const satisfies Record<string, string | undefined>

export type PhaseFilter = keyof typeof FILTERS

export const PHASE_FILTERS = Object.keys(FILTERS) as PhaseFilter[]

export const phaseFilterOf = (text: string | null): PhaseFilter =>
  PHASE_FILTERS.find((name) => name === text) ?? 'all'

/** The query for a choice and a search text. */
export const filterOf = (phase: PhaseFilter, name: string): QueryValues => ({
  filter: allOf([FILTERS[phase], name === '' ? undefined : nameFilter(name)]),
})
