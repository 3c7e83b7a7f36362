"""What tests share and is no test: small devices, stacks and loads, models to hold the code against, random draws."""
