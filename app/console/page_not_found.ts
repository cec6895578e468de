/** The console has no such page. */
export class PageNotFound extends Error {}
