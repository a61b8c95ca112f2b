type KeysOf<T> = T extends unknown ? keyof T : never
type ValueOf<T, K extends PropertyKey> = T extends { [Key in K]?: infer Value } ? Value : never

/** A response with one of several shapes: properties that not all of them have are optional. */
export type OneOf<T> = { [K in keyof T]: T[K] } & {
  [K in Exclude<KeysOf<T>, keyof T>]?: ValueOf<T, K>
}
