const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/** Whether a text is a W3C `traceparent` of version 0. */
export const isTraceparent = (text: string): boolean => TRACEPARENT.test(text)
