"""Tables: named columns, what each of them is, and what is wrong or doubtful about them."""
