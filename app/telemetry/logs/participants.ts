/** Finds the realms that take part in an analysis; undefined if it does not exist. */
export type FindParticipants = (analysisId: string) => Promise<readonly string[] | undefined>

/** Knows the realms that take part in an analysis: its own and those of its nodes. No analysis exists without core. */
export abstract class Participants {
  abstract readonly find: FindParticipants
}
