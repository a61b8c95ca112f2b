/** A call that can't be done as it was asked for. The message says what to do next; nothing was written. */
export class Refused extends Error {}
