/** The user has to sign in: there is no session, or it has ended. */
export class SessionEnded extends Error {}
