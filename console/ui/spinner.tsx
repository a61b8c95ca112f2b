import { t } from '../words/t.ts'
import { classNames } from './class-names.ts'

/** Not announced: the waiting element has a text next to it or is `aria-busy`. */
export const Spinner = ({ isLarge = false }: { isLarge?: boolean }) => (
  <span className={classNames('spinner', isLarge && 'spinner--large')} aria-hidden />
)

/** Grey bars in place of content that is loading. */
export const Skeleton = ({ lines = 3, label = t`Loading` }: { lines?: number; label?: string }) => (
  <div className="skeleton" role="status" aria-label={label}>
    {Array.from({ length: lines }, (_, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: all of them are the same
      <span key={index} className="skeleton__line" />
    ))}
  </div>
)

/** Placeholder rows for a list that is loading. */
export const SkeletonRows = ({ rows = 8 }: { rows?: number }) => (
  <div className="skeleton-rows" role="status" aria-label={t`Loading`}>
    {Array.from({ length: rows }, (_, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: all of them are the same
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
