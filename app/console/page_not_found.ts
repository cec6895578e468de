/** The page does not exist. */
export class PageNotFound extends Error {}
