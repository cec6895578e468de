/** Knows in which analyses the nodes of a client participate; in none without core. */
export abstract class Participations {
  abstract analysesOf(clientId: string): Promise<ReadonlySet<string>>
}
