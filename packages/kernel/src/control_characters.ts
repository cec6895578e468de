/** Control and formatting characters, which can control a terminal or change the direction of text. */
export const CONTROL_CHARACTERS = /[\p{Cc}\p{Cf}\u2028\u2029]/gu

/** What is shown in place of one. */
export const REPLACEMENT = '\uFFFD'
