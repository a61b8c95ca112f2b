import { classNames } from './class-names.ts'

/** Says nothing by itself: what waits says so beside it, or is `aria-busy`. */
export const Spinner = ({ isLarge = false }: { isLarge?: boolean }) => (
  <span className={classNames('spinner', isLarge && 'spinner--large')} aria-hidden />
)

/** Grey bars in the place of what is still on its way. */
export const Skeleton = ({ lines = 3, label = 'Loading' }: { lines?: number; label?: string }) => (
  <div className="skeleton" role="status" aria-label={label}>
    {Array.from({ length: lines }, (_, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
      <span key={index} className="skeleton__line" />
    ))}
  </div>
)

/** Rows of a list that is still on its way. */
export const SkeletonRows = ({ rows = 8 }: { rows?: number }) => (
  <div className="skeleton-rows" role="status" aria-label="Loading">
    {Array.from({ length: rows }, (_, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
      <div key={index} className="skeleton-rows__row">
        <span className="skeleton__disc" />
        <span className="skeleton">
          <span className="skeleton__line" />
          <span className="skeleton__line" />
        </span>
      </div>
    ))}
  </div>
)
