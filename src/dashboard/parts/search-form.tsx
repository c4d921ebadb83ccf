/** One field to look somebody up by, and its button. */
import { useId } from "preact/hooks";
import { Button } from "./basics.tsx";

export function SearchForm(props: {
  readonly label: string;
  readonly wanted: string;
  readonly onInput: (wanted: string) => void;
  readonly isBusy: boolean;
  /** Not called where nothing is written. */
  readonly onSearch: () => void;
}) {
  const { label, wanted, onInput, isBusy, onSearch } = props;
  const id = useId();
  return (
    <form
      role="search"
      class="search"
      onSubmit={(event) => {
        event.preventDefault();
        if (wanted.trim() !== "") onSearch();
      }}
    >
      <label class="hidden" for={id}>
        {label}
      </label>
      <input
        id={id}
        type="search"
        placeholder={label}
        value={wanted}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      <Button type="submit" disabled={isBusy}>
        Look up
      </Button>
    </form>
  );
}
