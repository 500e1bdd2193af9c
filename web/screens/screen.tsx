import type { ComponentChildren } from 'preact';

/** A screen with a title, a sentence, and what went wrong. */
export function ScreenPage(props: {
  readonly title: string;
  readonly crumb?: { readonly word: string; readonly href: string };
  readonly sum: string;
  readonly problem: { readonly message: string } | undefined;
  readonly right?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <main class="page" tabIndex={-1}>
      <div class="toph">
        {props.crumb === undefined ? null : (
          <a class="crumb" href={props.crumb.href}>
            {props.crumb.word} /
          </a>
        )}
        <h1>{props.title}</h1>
        <span class="right">{props.right}</span>
      </div>
      <p class="sum">{props.sum}</p>
      {props.problem === undefined ? null : (
        <p class="banner" role="alert">
          {props.problem.message}
        </p>
      )}
      <div class="cols">{props.children}</div>
    </main>
  );
}
