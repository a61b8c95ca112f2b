type KeysOf<T> = T extends unknown ? keyof T : never
type ValueOf<T, K extends PropertyKey> = T extends { [Key in K]?: infer Value } ? Value : never

/** An answer of one of several shapes: what only some of them have may be missing. */
export type OneOf<T> = { [K in keyof T]: T[K] } & {
  [K in Exclude<KeysOf<T>, keyof T>]?: ValueOf<T, K>
}
