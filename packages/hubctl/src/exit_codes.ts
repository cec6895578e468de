/** Exit codes of hubctl; docs/hubctl.md describes them. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  login: 3,
  permission: 4,
  notFound: 5,
  refused: 6,
  unreachable: 7,
  partly: 8,
  found: 9,
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]
