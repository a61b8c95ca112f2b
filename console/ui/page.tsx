import { ChevronLeft, ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { rich, t } from '../words/t.ts'
import { Button, IconButton } from './button.tsx'

/** A screen with a heading; all of it scrolls together. */
export const Page = ({
  title,
  about,
  actions,
  back,
  isNarrow = false,
  children,
}: {
  title: ReactNode
  about?: ReactNode
  actions?: ReactNode
  /** A link or button to the parent page. */
  back?: ReactNode
  isNarrow?: boolean
  children: ReactNode
}) => (
  <main className="page" id="main" tabIndex={-1}>
    <div className={isNarrow ? 'page__inside page__inside--narrow' : 'page__inside'}>
      {back}
      <header className="page__head">
        <div className="grow">
          <h1 className="page__title">{title}</h1>
          {about && <p className="text-soft">{about}</p>}
        </div>
        {actions && <div className="row row--wrap">{actions}</div>}
      </header>
      {children}
    </div>
  </main>
)

/** A boxed section of a page with its own heading. */
export const Section = ({
  title,
  about,
  actions,
  children,
}: {
  title?: ReactNode
  about?: ReactNode
  actions?: ReactNode
  children?: ReactNode
}) => (
  <section className="section">
    {(title || actions) && (
      <header className="section__head">
        <div className="grow">
          {title && <h2 className="section__title">{title}</h2>}
          {about && <p className="text-soft text-small">{about}</p>}
        </div>
        {actions}
      </header>
    )}
    {children}
  </section>
)

/** Names and values, such as a contact's fields. */
export const Facts = ({ children }: { children: ReactNode }) => <dl className="facts">{children}</dl>
export const Fact = ({ name, children }: { name: ReactNode; children: ReactNode }) => (
  <div className="facts__row">
    <dt className="facts__name">{name}</dt>
    <dd className="facts__value">{children}</dd>
  </div>
)

/** Page numbers, for lists with numbered pages. */
export const Pages = ({
  page,
  totalPages,
  onPage,
}: {
  page: number
  totalPages: number
  onPage: (page: number) => void
}) =>
  totalPages <= 1 ? null : (
    <nav className="row row--end" aria-label={t`Pages`}>
      <span className="text-soft text-small numeric">{rich`${page} of ${totalPages}`}</span>
      <IconButton
        icon={ChevronLeft}
        label={t`Previous page`}
        disabled={page <= 1}
        onClick={() => onPage(page - 1)}
      />
      <IconButton
        icon={ChevronRight}
        label={t`Next page`}
        disabled={page >= totalPages}
        onClick={() => onPage(page + 1)}
      />
    </nav>
  )

/** For lists with a cursor. */
export const LoadMore = ({ isBusy, onLoad }: { isBusy: boolean; onLoad: () => void }) => (
  <div className="load-more">
    <Button isBusy={isBusy} onClick={onLoad}>
      {t`Show more`}
    </Button>
  </div>
)
